namespace BigPile;

/// <summary>Damage in a pile's files.</summary>
/// <param name="Place">Where: the file, and the page, the address or the byte in it.</param>
/// <param name="What">What is wrong there.</param>
/// <param name="LostBytes">The bytes of payload that can't be read any more, as far as known.</param>
public sealed record PileFault(string Place, string What, long LostBytes)
{
    /// <inheritdoc/>
    public override string ToString() => $"{Place}: {What}";
}
