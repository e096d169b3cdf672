namespace Evolution;

/// <summary>Its member has another type, which the old one can't become.</summary>
public class Misfit
{
    public string Amount { get; set; } = "";
}
