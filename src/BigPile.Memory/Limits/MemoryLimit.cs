using System;
using System.Linq;
using System.Runtime.Versioning;

namespace BigPile.Memory.Limits;

/// <summary>How much memory this process may use, and what says so.</summary>
/// <remarks>
/// On Linux the least of the machine's memory and the limits of the control groups that the process is in, of version 1, version 2 or
/// both. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class MemoryLimit
{
    private const int KiloShift = 10; // the unit of meminfo is KiB
    private const string Machine = "the machine has";

    private readonly Func<long?> _available;

    private MemoryLimit(long bytes, string source, Func<long?> available)
    {
        Bytes = bytes;
        Source = source;
        _available = available;
    }

    /// <summary>The bytes that the process may use.</summary>
    internal long Bytes { get; }

    /// <summary>Who limits them, to be read after "the bytes that".</summary>
    internal string Source { get; }

    /// <summary>The limit of this process, read now: it may change while the process runs.</summary>
    internal static MemoryLimit OfProcess()
    {
        if (OperatingSystem.IsLinux())
            return Read(root: "");
        if (OperatingSystem.IsWindows())
            return OfWindows();
        return new MemoryLimit(OperatingSystem.IsMacOS() ? ReadMac() : RuntimeBytes, Machine, static () => null);
    }

    /// <summary>The limit that the files of a Linux system tell.</summary>
    /// <param name="root">The root of its file system, without a separator at the end.</param>
    internal static MemoryLimit Read(string root)
    {
        string memoryPath = root + "/proc/meminfo";
        ControlGroup[] groups = [.. ControlGroup.OfProcess(root)];
        long machineBytes = InKilo(SystemFile.ReadFigure(memoryPath, "MemTotal")) ?? RuntimeBytes;
        (long bytes, string source) = groups.SelectMany(static group => group.Limits()).Prepend((machineBytes, Machine))
            .MinBy(static limit => limit.Item1);
        return new MemoryLimit(bytes, source, () => groups.Select(static group => group.Available())
            .Append(InKilo(SystemFile.ReadFigure(memoryPath, "MemAvailable"))).Min());
    }

    /// <summary>
    /// The bytes that this process may still take before the system drops more than files that nobody uses, or ends a process;
    /// <see langword="null"/> where that is unknown. Some reads of small files; never throws.
    /// </summary>
    internal long? Available() => _available();

    // Without a limit of the managed heap this is what the runtime takes for the memory of the machine or the container.
    private static long RuntimeBytes => GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;

    private static long? InKilo(long? figure) => figure <= long.MaxValue >> KiloShift ? figure << KiloShift : null;

    // A job object may limit the process: then the runtime gives its heap a part of that, and nothing else tells.
    [SupportedOSPlatform("windows")]
    private static MemoryLimit OfWindows()
    {
        long machineBytes = WindowsMemory.Read()?.TotalBytes ?? RuntimeBytes;
        bool isInJob = ManagedHeap.Current() is { LimitBytes: { } limit, IsConfigured: false } && limit < machineBytes;
        return new MemoryLimit(
            isInJob ? RuntimeBytes : machineBytes, isInJob ? "the runtime allows its heap in this job" : Machine,
            static () => WindowsMemory.Read()?.AvailableBytes);
    }

    [SupportedOSPlatform("macos")]
    private static unsafe long ReadMac()
    {
        long bytes = 0;
        nuint lengthBytes = sizeof(long);
        return MacC.ValueByName("hw.memsize", (byte*)&bytes, &lengthBytes, null, 0) == 0 && bytes > 0 ? bytes : RuntimeBytes;
    }
}
