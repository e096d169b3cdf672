using System.Collections.Generic;

namespace Evolution;

/// <summary>Lost its city, gained an address of mail, and has its other members in another order.</summary>
public class Customer
{
    public Invoice? Latest { get; set; }

    public string? Email { get; set; }

    public List<Invoice> Paid { get; set; } = [];

    public int Age { get; set; }

    public string Name { get; set; } = "";

    public string Describe() =>
        $"{Name} {Age} {Email ?? "-"} {string.Join(',', Paid.ConvertAll(static invoice => invoice.Describe()))} "
        + $"{ReferenceEquals(Latest, Paid[^1])}";
}
