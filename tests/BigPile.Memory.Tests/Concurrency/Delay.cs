using System.Runtime.CompilerServices;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Delays of some nanoseconds, which leave memory alone.</summary>
internal static class Delay
{
    /// <summary>Computes so many steps.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static uint Spin(int steps)
    {
        uint last = 1;
        for (; steps > 0; steps--)
            last = last * 3 + 1;
        return last;
    }
}
