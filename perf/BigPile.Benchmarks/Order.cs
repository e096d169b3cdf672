using System;
using System.Collections.Generic;

namespace BigPile.Benchmarks;

/// <summary>An order whose lines share products.</summary>
public sealed class Order
{
    /// <summary>Number.</summary>
    public long Id { get; set; }

    /// <summary>Who ordered.</summary>
    public string Customer { get; set; } = "";

    /// <summary>When.</summary>
    public DateTime Placed { get; set; }

    /// <summary>What.</summary>
    public List<OrderLine> Lines { get; set; } = [];

    internal static Order Sample(int seed)
    {
        const int ProductCount = 8;
        const int LineCount = 20;
        var random = new Random(seed);
        var products = new Product[ProductCount];
        for (int i = 0; i < ProductCount; i++)
            products[i] = new Product { Id = 1_000 + i, Name = "Product number " + i, Category = "hardware", Price = 9.99 + i };
        var order = new Order
        {
            Id = random.Next(),
            Customer = "Grace Hopper",
            Placed = new DateTime(2024, 5, 17, 10, 30, 0, DateTimeKind.Utc),
        };
        for (int i = 0; i < LineCount; i++)
            order.Lines.Add(new OrderLine { Product = products[random.Next(ProductCount)], Quantity = random.Next(
                1, 100), Discount = random.NextDouble() });
        return order;
    }
}
