namespace Evolution;

public class Invoice
{
    public int Number { get; set; }

    public decimal Total { get; set; }
}
