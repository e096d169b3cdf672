using System;
using BigPile;

namespace Published.Far;

public sealed class Parcel : IPileReadCallback
{
    [NonSerialized]
    private string _label = "";

    public string To { get; set; } = "";

    public int Grams { get; set; }

    public void OnRead() => _label = To.ToUpperInvariant();

    public override string ToString() => $"{Grams} g to {_label}";
}
