namespace Evolution;

/// <summary>Gained a member in front of the others.</summary>
public class Invoice
{
    public bool IsOpen { get; set; }

    public int Number { get; set; }

    public decimal Total { get; set; }

    public string Describe() => string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{Number}:{Total}:{IsOpen}");
}
