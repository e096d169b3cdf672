namespace BigPile.Ports;

/// <summary>What is in an arena: <c>CapacityBytes = UsedBytes + FreeBytes</c>, and <c>UsedBytes = LengthBytes + SlackBytes</c>.</summary>
/// <remarks>While others make and free objects the numbers are those of slightly different instants.</remarks>
/// <param name="CapacityBytes">The bytes for objects.</param>
/// <param name="Objects">How many objects live.</param>
/// <param name="LengthBytes">The bytes that they have, as they were asked for.</param>
/// <param name="SlackBytes">The bytes that fill up their last granules.</param>
/// <param name="FreeBytes">The bytes that no object has, as the granules themselves say it.</param>
/// <param name="Processes">How many processes have the arena open.</param>
public readonly record struct SharedArenaStatistics(
    long CapacityBytes, long Objects, long LengthBytes, long SlackBytes, long FreeBytes, int Processes)
{
    /// <summary>The bytes of the granules that objects have.</summary>
    public long UsedBytes => LengthBytes + SlackBytes;
}
