namespace BigPile.Benchmarks;

/// <summary>A line of an order.</summary>
public sealed class OrderLine
{
    /// <summary>The product, which other lines may share.</summary>
    public Product? Product { get; set; }

    /// <summary>How many.</summary>
    public int Quantity { get; set; }

    /// <summary>Share of the price that is not asked.</summary>
    public double Discount { get; set; }
}
