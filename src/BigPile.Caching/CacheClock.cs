using System;

namespace BigPile.Caching;

/// <summary>The time of a cache, and the versions that follow it.</summary>
internal sealed class CacheClock(TimeProvider time, Guid pileId)
{
    private const int SaltBits = Pile.ClockVersionShift - 1;

    // So that a version of one pile is not taken for one of another that was made in the same millisecond.
    private readonly ulong _salt = BitConverter.ToUInt32(pileId.ToByteArray()) & ((1u << SaltBits) - 1);

    internal TimeProvider Time => time;

    /// <summary>Ticks of UTC.</summary>
    internal long Now => time.GetUtcNow().UtcTicks;

    /// <summary>The lowest version that may be given at an instant.</summary>
    internal ulong VersionAt(long ticks)
    {
        long ms = (ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerMillisecond;
        return ms <= 0 ? 0 : ((ulong)ms << Pile.ClockVersionShift) | _salt;
    }
}
