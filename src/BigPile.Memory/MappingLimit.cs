using System;
using System.Globalization;
using System.IO;
using System.Threading;

namespace BigPile.Memory;

/// <summary>
/// Reserves some of the process's memory mappings for the runtime: a runtime that gets none for its heap or code ends the process by
/// SIGABRT, without an exception.
/// </summary>
/// <remarks>
/// The mappings are recounted regularly, since other libraries take some too: first at once, then so often that what others take between
/// two counts fits the reserve. Returned mappings are seen at the next count, which comes before a refusal. Thread safety: all members may
/// be called concurrently.
/// </remarks>
/// <param name="readLimit">Returns how many mappings a process may have; <see langword="null"/> if unknown.</param>
/// <param name="count">Returns how many the process has.</param>
internal sealed class MappingLimit(Func<long?> readLimit, Func<long> count)
{
    private const string LimitPath = "/proc/sys/vm/max_map_count";
    private const string MappingsPath = "/proc/self/maps";
    private const int ReserveShift = 4; // a sixteenth is reserved for the runtime and other libraries
    private const int RecountShift = 6;
    private const int PartBytes = 1 << 16;

    private readonly Lock _lock = new();
    private long _left; // mappings that may be taken before the next count; interlocked

    internal static MappingLimit Own { get; } = new(ReadLimit, Count);

    /// <summary>Takes one mapping; called before it is made.</summary>
    /// <returns>Why it must not be made; <see langword="null"/> if it may.</returns>
    internal string? Take()
    {
        if (Interlocked.Decrement(ref _left) >= 0)
            return null;
        lock (_lock)
        {
            if (Interlocked.Decrement(ref _left) >= 0)
                return null;
            if (readLimit() is not { } limit)
            {
                Volatile.Write(ref _left, long.MaxValue);
                return null;
            }
            long most = limit - (limit >> ReserveShift);
            long mappings = count();
            Volatile.Write(ref _left, Math.Clamp((most - mappings) / 2, 0, limit >> RecountShift));
            return mappings < most ? null : Describe(mappings, limit, most);
        }
    }

    /// <summary>Why the system may have refused a mapping, and the remedy.</summary>
    internal static string DescribeRefusal() => ReadLimit() is { } limit
        ? string.Create(
            CultureInfo.InvariantCulture,
            $"The process has {Count():N0} mappings of the {limit:N0} that vm.max_map_count allows. Raise it by "
            + $"'sysctl -w vm.max_map_count={limit * 4}' if these are nearly all, or give the process more memory and addresses.")
        : "Give the process more memory and addresses.";

    private static string Describe(long mappings, long limit, long most) => string.Create(
        CultureInfo.InvariantCulture,
        $"the process has {mappings:N0} mappings, and the system allows {limit:N0} (vm.max_map_count), of which the last "
        + $"{limit - most:N0} are kept for the runtime, which ends without them. Raise the limit by 'sysctl -w "
        + $"vm.max_map_count={limit * 4}', or have fewer tables, segments or files open: each table of a mapped pile takes two or three.");

    private static long? ReadLimit()
    {
        try
        {
            return OperatingSystem.IsLinux() && long.TryParse(File.ReadAllText(LimitPath), CultureInfo.InvariantCulture, out long limit)
                ? limit
                : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null; // without the file there is no limit: the process is not kept from working
        }
    }

    private static long Count()
    {
        try
        {
            using FileStream maps = new(MappingsPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
            var part = new byte[PartBytes];
            long lines = 0;
            while (maps.Read(part) is > 0 and int read)
                lines += part.AsSpan(0, read).Count((byte)'\n');
            return lines;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }
}
