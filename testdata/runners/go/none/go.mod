module example.com/none

go 1.24
