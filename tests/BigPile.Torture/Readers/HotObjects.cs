namespace BigPile.Torture.Readers;

/// <summary>Which objects are used: every second time one of a few, so that readers and writers meet there.</summary>
internal static class HotObjects
{
    private const int Count = 16;

    internal static int Choose(Dice dice, int objects)
    {
        int number = dice.Next(objects * 2);
        return number < objects ? number : number % Count;
    }
}
