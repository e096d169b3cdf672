using System;
using System.IO;

namespace BigPile.Testing;

/// <summary>The files by which a Linux system tells how much memory a process may use, made up; they go with the test.</summary>
internal sealed class MadeSystem : IDisposable
{
    internal const string UnlimitedOfVersion1 = "9223372036854771712";

    private readonly TemporaryDirectory _directory = new();

    /// <summary>A machine with 8 GiB, of which 6 are available, that has no control groups.</summary>
    internal MadeSystem() => Write(
        "proc/meminfo", "MemTotal:        8388608 kB\nMemFree:         1048576 kB\nMemAvailable:    6291456 kB");

    internal string Root => _directory.Path;

    internal void Write(string path, string content)
    {
        string full = Path.Combine(Root, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, content + "\n");
    }

    /// <summary>Puts the process into a group of version 2, below a mount that shows the whole hierarchy.</summary>
    internal MadeSystem InVersion2(string group, string mountRoot = "/")
    {
        Write("proc/self/cgroup", $"0::{group}");
        Write("proc/self/mountinfo",
            "25 1 8:1 / / rw,relatime - ext4 /dev/sda rw\n"
            + $"29 23 0:26 {mountRoot} /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate");
        Directory.CreateDirectory(Path.Combine(Root, "sys/fs/cgroup"));
        return this;
    }

    /// <summary>Puts the process into a group of version 1.</summary>
    internal MadeSystem InVersion1(string group, string mountRoot = "/")
    {
        Write("proc/self/cgroup", $"12:cpu,cpuacct:/other\n5:memory:{group}\n1:name=systemd:/x\n0::/");
        Write("proc/self/mountinfo",
            "30 29 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
            + $"31 29 0:28 {mountRoot} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
            + "32 29 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
        Directory.CreateDirectory(Path.Combine(Root, "sys/fs/cgroup/memory"));
        Directory.CreateDirectory(Path.Combine(Root, "sys/fs/cgroup/unified"));
        return this;
    }

    /// <summary>Writes a file of a group of version 2.</summary>
    internal MadeSystem Group2(string group, string file, string content)
    {
        Write($"sys/fs/cgroup{group}/{file}", content);
        return this;
    }

    /// <summary>Writes a file of a group of version 1.</summary>
    internal MadeSystem Group1(string group, string file, string content)
    {
        Write($"sys/fs/cgroup/memory{group}/{file}", content);
        return this;
    }

    public void Dispose() => _directory.Dispose();
}
