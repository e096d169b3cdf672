namespace BigPile.Torture;

/// <summary>Random numbers from a seed.</summary>
internal sealed class Dice(ulong seed)
{
    private ulong _state = (seed * 0x9E3779B97F4A7C15) | 1;

    /// <summary>A number from zero to below a limit.</summary>
    internal int Next(int below)
    {
        _state ^= _state << 13;
        _state ^= _state >> 7;
        _state ^= _state << 17;
        return (int)((_state >> 33) % (ulong)below);
    }

    internal bool OneIn(int count) => Next(count) == 0;
}
