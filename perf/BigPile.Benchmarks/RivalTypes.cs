using System;
using System.Collections.Generic;
using System.Linq;
using MemoryPack;
using MessagePack;

namespace BigPile.Benchmarks;

/// <summary>The same as <see cref="Person"/>, with the attributes that some serializers need.</summary>
[MessagePackObject]
[MemoryPackable]
public sealed partial class MarkedPerson
{
    /// <summary>Given name.</summary>
    [Key(0)]
    public string FirstName { get; set; } = "";

    /// <summary>Family name.</summary>
    [Key(1)]
    public string LastName { get; set; } = "";

    /// <summary>Number.</summary>
    [Key(2)]
    public long Id { get; set; }

    /// <summary>Day of birth.</summary>
    [Key(3)]
    public DateTime Born { get; set; }

    /// <summary>Salary.</summary>
    [Key(4)]
    public double Salary { get; set; }

    /// <summary>Whether employed.</summary>
    [Key(5)]
    public bool IsActive { get; set; }

    /// <summary>Grade.</summary>
    [Key(6)]
    public int Grade { get; set; }

    internal static MarkedPerson Of(Person person) => new()
    {
        FirstName = person.FirstName, LastName = person.LastName, Id = person.Id, Born = person.Born, Salary = person.Salary,
        IsActive = person.IsActive, Grade = person.Grade,
    };
}

/// <summary>The same as <see cref="Order"/>; these serializers write shared products once for each line.</summary>
[MessagePackObject]
[MemoryPackable]
public sealed partial class MarkedOrder
{
    /// <summary>Number.</summary>
    [Key(0)]
    public long Id { get; set; }

    /// <summary>Who ordered.</summary>
    [Key(1)]
    public string Customer { get; set; } = "";

    /// <summary>When.</summary>
    [Key(2)]
    public DateTime Placed { get; set; }

    /// <summary>What.</summary>
    [Key(3)]
    public List<MarkedOrderLine> Lines { get; set; } = [];

    internal static MarkedOrder Of(Order order)
    {
        var products = order.Lines.Select(static line => line.Product!).Distinct().ToDictionary(
            static product => product,
            static product => new MarkedProduct
            {
                Id = product.Id, Name = product.Name, Category = product.Category, Price = product.Price,
            });
        return new MarkedOrder
        {
            Id = order.Id, Customer = order.Customer, Placed = order.Placed,
            Lines = [.. order.Lines.Select(line => new MarkedOrderLine
            {
                Product = products[line.Product!], Quantity = line.Quantity, Discount = line.Discount,
            })],
        };
    }
}

/// <summary>The same as <see cref="OrderLine"/>.</summary>
[MessagePackObject]
[MemoryPackable]
public sealed partial class MarkedOrderLine
{
    /// <summary>The product, which other lines may share.</summary>
    [Key(0)]
    public MarkedProduct? Product { get; set; }

    /// <summary>How many.</summary>
    [Key(1)]
    public int Quantity { get; set; }

    /// <summary>Share of the price that is not asked.</summary>
    [Key(2)]
    public double Discount { get; set; }
}

/// <summary>The same as <see cref="Product"/>.</summary>
[MessagePackObject]
[MemoryPackable]
public sealed partial class MarkedProduct
{
    /// <summary>Number.</summary>
    [Key(0)]
    public int Id { get; set; }

    /// <summary>Name.</summary>
    [Key(1)]
    public string Name { get; set; } = "";

    /// <summary>Kind.</summary>
    [Key(2)]
    public string Category { get; set; } = "";

    /// <summary>Price.</summary>
    [Key(3)]
    public double Price { get; set; }
}
