using System.Collections.Generic;

namespace Evolution;

public class Customer
{
    public string Name { get; set; } = "";

    public int Age { get; set; }

    public string City { get; set; } = "";

    public List<Invoice> Paid { get; set; } = [];

    public Invoice? Latest { get; set; }

    public static object Sample()
    {
        var shared = new Invoice { Number = 7, Total = 12.5m };
        return new Customer { Name = "Ann", Age = 41, City = "Bonn", Paid = [new Invoice { Number = 6, Total = 1m }, shared],
            Latest = shared };
    }
}
