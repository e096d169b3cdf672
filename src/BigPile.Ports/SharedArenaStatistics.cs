namespace BigPile.Ports;

/// <summary>Counts of an arena: <c>CapacityBytes = UsedBytes + FreeBytes</c>, and <c>UsedBytes = LengthBytes + SlackBytes</c>.</summary>
/// <remarks>Beside concurrent changes, the numbers are of slightly different instants.</remarks>
/// <param name="CapacityBytes">The capacity for objects, in bytes.</param>
/// <param name="Objects">The number of living objects.</param>
/// <param name="LengthBytes">The total length of the objects, as requested, in bytes.</param>
/// <param name="SlackBytes">The unused bytes of their last granules.</param>
/// <param name="FreeBytes">The bytes that no object owns, counted from the granules' owner words.</param>
/// <param name="Processes">The number of processes that have the arena open.</param>
public readonly record struct SharedArenaStatistics(
    long CapacityBytes, long Objects, long LengthBytes, long SlackBytes, long FreeBytes, int Processes)
{
    /// <summary>The bytes of the granules that objects own.</summary>
    public long UsedBytes => LengthBytes + SlackBytes;
}
