module example.com/forges

go 1.24
