using System;
using System.Runtime.InteropServices;

namespace BigPile.Ports.Waiting;

/// <summary>Sleeping on a word of shared memory, and waking who sleeps on it, in whatever process.</summary>
internal static unsafe partial class Futex
{
    private const int Wait = 0; // FUTEX_WAIT, not private: the word is shared between processes
    private const int WakeUp = 1;

    private static readonly nint Call = RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 202,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => 98,
        _ => throw new PlatformNotSupportedException("Ports know the futex call of x64, arm64, RISC-V and LoongArch only."),
    };

    /// <summary>Sleeps while the word has a value, at most so long. Whoever returns looks again: it may have been a signal.</summary>
    internal static void Sleep(uint* word, uint value, TimeSpan timeout)
    {
        var spec = new Spec
        {
            Seconds = (nint)(timeout.Ticks / TimeSpan.TicksPerSecond),
            Nanoseconds = (nint)(timeout.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick),
        };
        _ = SystemCall(Call, word, Wait, (nint)value, &spec, null, 0);
    }

    /// <summary>Wakes so many of those who sleep on the word, longest asleep first.</summary>
    internal static void Wake(uint* word, int sleepers) => _ = SystemCall(Call, word, WakeUp, sleepers, null, null, 0);

    // Variadic: on these processors whole numbers and pointers go the same way as if they were declared.
    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number, uint* word, nint operation, nint value, Spec* timeout, uint* other, nint last);

    private struct Spec
    {
        internal nint Seconds;
        internal nint Nanoseconds;
    }
}
