module example.com/mainzero

go 1.24
