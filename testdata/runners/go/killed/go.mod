module example.com/killed

go 1.24
