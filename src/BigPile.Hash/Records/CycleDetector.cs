namespace BigPile.Hash.Records;

/// <summary>
/// Detects a chain that leads back into itself. Brent's algorithm: each step is compared with the step at the last power of two.
/// </summary>
internal struct CycleDetector
{
    private long _steps;
    private long _limit;
    private long _saved;

    internal bool IsClosedBy(long offset)
    {
        if (offset == _saved)
            return true;
        if (++_steps <= _limit)
            return false;
        _limit = _steps * 2;
        _saved = offset;
        return false;
    }
}
