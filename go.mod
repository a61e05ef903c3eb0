module factgate

go 1.26.0
