using System;
using System.Linq;

namespace BigPile.Memory.Limits;

/// <summary>The names of the two versions of Linux control groups.</summary>
/// <param name="FileSystem">The type of their file system.</param>
/// <param name="Controller">The controller's name, in the mount's options and in the list of a process's groups; empty: neither.</param>
/// <param name="LimitFiles">The files with a limit each.</param>
/// <param name="InheritedLimit">The line of <c>memory.stat</c> with the least limit of the group and all above it; empty: none.</param>
/// <param name="UsageFile">The file with the bytes that are charged to the group.</param>
/// <param name="DroppableFigure">The line of <c>memory.stat</c> with the bytes that the system drops before it needs more.</param>
/// <param name="FileFigure">The line with the bytes of all files' pages, and of shared memory.</param>
/// <param name="SharedFigure">The line with the bytes of shared memory.</param>
internal sealed record ControlGroupVersion(
    string FileSystem, string Controller, string[] LimitFiles, string InheritedLimit, string UsageFile, string DroppableFigure,
    string FileFigure, string SharedFigure)
{
    // Above memory.high the system slows a group down until it stands nearly still, so that is a limit as well.
    internal static readonly ControlGroupVersion[] All =
    [
        new("cgroup2", "", ["memory.max", "memory.high"], "", "memory.current", "inactive_file", "file", "shmem"),
        new("cgroup", "memory", ["memory.limit_in_bytes"], "hierarchical_memory_limit", "memory.usage_in_bytes", "total_inactive_file",
            "total_cache", "total_shmem"),
    ];

    /// <summary>Whether a mount with these options has the memory controller, if it is of this version.</summary>
    internal bool IsOfMemory(string mountOptions) => Controller.Length == 0 || mountOptions.Split(',').Contains(Controller);

    /// <summary>The group in a line of <c>/proc/self/cgroup</c>; <see langword="null"/> if the line is of another controller.</summary>
    internal string? GroupIn(string line)
    {
        string[] parts = line.Split(':', 3); // number:controllers:group
        return parts.Length == 3 && parts[2].StartsWith('/') && parts[1].Split(',').Contains(Controller) ? parts[2] : null;
    }
}
