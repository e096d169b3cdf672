namespace Evolution;

public class Misfit
{
    public int Amount { get; set; }

    public static object Sample() => new Misfit { Amount = 5 };
}
