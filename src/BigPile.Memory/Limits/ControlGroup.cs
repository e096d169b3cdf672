using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Memory.Limits;

/// <summary>A Linux control group that this process is in, and that may limit its memory.</summary>
/// <param name="name">The group's path below the mount.</param>
/// <param name="directory">Its directory.</param>
/// <param name="version">Its version.</param>
internal sealed class ControlGroup(string name, string directory, ControlGroupVersion version)
{
    private const string StatisticsFile = "memory.stat";
    private const long Unlimited = 1L << 62; // what version 1 writes for no limit is above
    private const int MountFields = 5; // number, parent, device, root, mount point; then options
    private const string Separator = " - "; // then type, source, and the options of the file system

    /// <summary>The limits that the group has now, each with the file that has it.</summary>
    internal IEnumerable<(long Bytes, string Source)> Limits()
    {
        foreach (string file in version.LimitFiles)
        {
            if (SystemFile.ReadFigure(Path.Combine(directory, file)) is > 0 and < Unlimited and { } bytes)
                yield return (bytes, $"the control group {name} allows ({file})");
        }
        // In a container the groups above are out of sight, and this figure alone has their limits.
        if (version.InheritedLimit.Length != 0 && Statistic(version.InheritedLimit) is > 0 and < Unlimited and { } inherited)
            yield return (inherited, $"the control groups above {name} allow ({version.InheritedLimit})");
    }

    /// <summary>The bytes that the group may still take; <see langword="null"/> without a limit, or if its usage is unknown.</summary>
    internal long? Available()
    {
        long? limit = Limits().Min(static found => (long?)found.Bytes);
        if (limit == null || SystemFile.ReadFigure(Path.Combine(directory, version.UsageFile)) is not { } usage)
            return null;
        return Math.Max(0, limit.Value - Math.Max(0, usage - DroppableBytes()));
    }

    // Pages that a collector gave back lazily, and has used again since, are on the list of files' pages too, but can't be dropped.
    private long DroppableBytes()
    {
        long droppable = Statistic(version.DroppableFigure) ?? 0;
        return Statistic(version.FileFigure) is { } files
            ? Math.Min(droppable, Math.Max(0, files - (Statistic(version.SharedFigure) ?? 0)))
            : droppable;
    }

    /// <summary>The groups of this process, each before those above it, as far as they are visible.</summary>
    /// <param name="root">The root of the file system, without a separator at the end.</param>
    internal static IEnumerable<ControlGroup> OfProcess(string root)
    {
        string[] groups = SystemFile.ReadLines(root + "/proc/self/cgroup");
        string[] mounts = SystemFile.ReadLines(root + "/proc/self/mountinfo");
        return ControlGroupVersion.All.SelectMany(version => Find(root, groups, mounts, version));
    }

    private static IEnumerable<ControlGroup> Find(string root, string[] groups, string[] mounts, ControlGroupVersion version)
    {
        if (groups.Select(version.GroupIn).FirstOrDefault(static group => group != null) is not { } group)
            return [];
        (string Point, string? Below)[] places =
            [.. mounts.Select(line => PlaceIn(line, group, version)).OfType<(string Point, string? Below)>()];
        if (places.Length == 0)
            return [];
        // A container may see its group at the mount's root, whatever its path is outside.
        (string point, string? below) = places.FirstOrDefault(
            place => place.Below != null && Directory.Exists(root + place.Point + place.Below), (places[0].Point, Below: ""));
        return AtAndAbove(below!).Select(name => new ControlGroup(name.Length == 0 ? "/" : name, root + point + name, version));
    }

    private static IEnumerable<string> AtAndAbove(string path)
    {
        for (; path.Length != 0; path = path[..path.LastIndexOf('/')])
            yield return path;
        yield return "";
    }

    // Where the mount is, and the group's path below it, null if it is elsewhere; null for a mount of another kind.
    private static (string Point, string? Below)? PlaceIn(string line, string group, ControlGroupVersion version)
    {
        int separator = line.IndexOf(Separator, StringComparison.Ordinal);
        string[] mount = separator < 0 ? [] : line[..separator].Split(' ');
        string[] source = separator < 0 ? [] : line[(separator + Separator.Length)..].Split(' ');
        if (mount.Length <= MountFields || source.Length < 3 || source[0] != version.FileSystem || !version.IsOfMemory(source[2]))
            return null;
        string mountRoot = Unescape(mount[3]).TrimEnd('/');
        bool isBelow =
            (group + "/").StartsWith(mountRoot + "/", StringComparison.Ordinal) && !group.Contains("/..", StringComparison.Ordinal);
        return (Unescape(mount[4]).TrimEnd('/'), isBelow ? group[mountRoot.Length..].TrimEnd('/') : null);
    }

    // The kernel writes a space, a tab, a line feed and a backslash as three octal digits.
    private static string Unescape(string text) => text
        .Replace(@"\040", " ", StringComparison.Ordinal).Replace(@"\011", "\t", StringComparison.Ordinal)
        .Replace(@"\012", "\n", StringComparison.Ordinal).Replace(@"\134", @"\", StringComparison.Ordinal);

    private long? Statistic(string figure) => SystemFile.ReadFigure(Path.Combine(directory, StatisticsFile), figure);
}
