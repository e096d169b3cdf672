using System.Collections.Generic;

namespace BigPile.Tests.Golden;

/// <summary>A type that the golden piles hold. Its name and members are in their catalogs: it never changes.</summary>
public sealed class GoldenOrder
{
    public int Id { get; set; }

    public string Customer { get; set; } = "";

    public List<decimal> Prices { get; set; } = [];

    public PilePointer Previous { get; set; }

    public GoldenOrder? Self { get; set; }
}
