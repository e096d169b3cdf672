using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace BigPile.Ports.Waiting;

/// <summary>Sleeps on a word of shared memory, and wakes sleepers on it, across processes.</summary>
[SupportedOSPlatform("linux")]
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

    /// <summary>
    /// Sleeps while the word has a value, at most for a timeout. The caller checks its condition again: the sleep may have been
    /// interrupted.
    /// </summary>
    internal static void Sleep(uint* word, uint value, TimeSpan timeout)
    {
        Debug.Assert((nuint)word % sizeof(uint) == 0, "The system refuses to sleep on a word that is not aligned.");
        Debug.Assert(timeout >= TimeSpan.Zero, "The system refuses a negative time, so the sleep would become a busy loop.");
        var spec = new Spec
        {
            Seconds = (nint)(timeout.Ticks / TimeSpan.TicksPerSecond),
            Nanoseconds = (nint)(timeout.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick),
        };
        _ = SystemCall(Call, word, Wait, (nint)value, &spec, null, 0);
    }

    /// <summary>Wakes some of the sleepers on the word, longest asleep first.</summary>
    internal static void Wake(uint* word, int sleepers)
    {
        Debug.Assert(sleepers >= 1, "A signal wakes somebody.");
        _ = SystemCall(Call, word, WakeUp, sleepers, null, null, 0);
    }

    // Variadic in C; on these processors integers and pointers are passed as if they were declared.
    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number, uint* word, nint operation, nint value, Spec* timeout, uint* other, nint last);

    private struct Spec
    {
        internal nint Seconds;
        internal nint Nanoseconds;
    }
}
