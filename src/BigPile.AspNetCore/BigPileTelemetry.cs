namespace BigPile.AspNetCore;

/// <summary>The names of an application's activities in traces; the source is that of <see cref="PileTelemetry"/>.</summary>
public static class BigPileTelemetry
{
    /// <summary>The activity of <see cref="BigPileOptions.Opened"/>, which may fill tables.</summary>
    public const string LoadActivity = "bigpile.load";

    /// <summary>
    /// The activity of a lookup in the second level of <see cref="PileHybridCache"/>; the tag <c>bigpile.cache.request.type</c> says
    /// whether it was found.
    /// </summary>
    public const string SecondLevelReadActivity = "bigpile.second_level.read";

    /// <summary>The activity of storing a value in the second level.</summary>
    public const string SecondLevelWriteActivity = "bigpile.second_level.write";

    /// <summary>The activity of removing a key from the second level.</summary>
    public const string SecondLevelRemoveActivity = "bigpile.second_level.remove";

    /// <summary>The activity of removing a tag from the second level.</summary>
    public const string SecondLevelRemoveTagActivity = "bigpile.second_level.remove_tag";
}
