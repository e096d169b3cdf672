using System;
using System.Collections.Generic;

namespace BigPile.Tests.Codec;

#pragma warning disable CA1051, CA1819, CA2227, CA1002 // Plain data, as applications write it.

public sealed class Person
{
    public string First { get; set; } = "";

    public string? Last { get; set; }

    public long Id { get; set; }

    public DateTime Born { get; set; }

    public double Score { get; set; }

    public bool IsActive { get; set; }

    public int Level { get; set; }

    public static Person Sample(int seed) => new()
    {
        First = "First" + seed,
        Last = seed % 5 == 0 ? null : "Last" + seed * 31,
        Id = seed * 1234567L,
        Born = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddMinutes(seed),
        Score = seed / 3.0,
        IsActive = seed % 2 == 0,
        Level = seed % 200 - 50,
    };
}

public class Product
{
    public string Code = "";
    public decimal Price;
    public Dictionary<string, string> Attributes = [];
}

public class OrderLine
{
    public Product? Product;
    public int Quantity;
    public decimal Discount;
}

public class Order
{
    public Guid Id;
    public Person? Customer;
    public List<OrderLine> Lines = [];
    public DateTimeOffset Placed;

    public static Order Sample(int seed)
    {
        var products = new Product[8];
        for (int i = 0; i < products.Length; i++)
            products[i] = new Product { Code = "P" + i, Price = i * 1.10m, Attributes = { ["color"] = "c" + i } };
        var order = new Order
        {
            Id = new Guid(seed, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
            Customer = Person.Sample(seed),
            Placed = new DateTimeOffset(2024, 5, 6, 7, 8, 9, TimeSpan.FromHours(2)),
        };
        for (int i = 0; i < 20; i++)
            order.Lines.Add(new OrderLine { Product = products[i % products.Length], Quantity = i, Discount = 0.05m });
        return order;
    }
}

public class Node
{
    public int Value;
    public Node? Next;
    public Node? Other;
}

public abstract class Shape
{
    private readonly string _name;

    protected Shape(string name) => _name = name;

    public string Name => _name;
}

public sealed class Circle(string name, double radius) : Shape(name)
{
    public double Radius { get; } = radius;
}

public class Rectangle(string name, double width, double height) : Shape(name)
{
    public double Width { get; } = width;

    public double Height { get; } = height;
}

public sealed class Square(string name, double side) : Rectangle(name, side, side)
{
    public readonly string Kind = "square";
}

public sealed class Drawing
{
    public Shape? Main;
    public Rectangle? Frame;
    public object? Tag;
    public IReadOnlyList<Shape>? Shapes;
}

public struct Point3
{
    public int X;
    public double Y;
    public string? Label;
}

public readonly record struct Money(decimal Amount, string Currency);

public sealed record Invoice(int Number, Money Total, Point3 Place, Point3? Maybe, int? Count, DayOfWeek Day);
