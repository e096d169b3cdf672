namespace BigPile.Benchmarks;

/// <summary>Something to order.</summary>
public sealed class Product
{
    /// <summary>Number.</summary>
    public int Id { get; set; }

    /// <summary>Name.</summary>
    public string Name { get; set; } = "";

    /// <summary>Kind.</summary>
    public string Category { get; set; } = "";

    /// <summary>Price.</summary>
    public double Price { get; set; }
}
