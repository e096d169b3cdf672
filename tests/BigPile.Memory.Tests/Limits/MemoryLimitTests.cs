using System;
using System.IO;
using BigPile.Memory.Limits;

namespace BigPile.Memory.Tests.Limits;

/// <summary>The memory that a process may use is the least that its machine and its control groups of both versions tell.</summary>
public sealed class MemoryLimitTests : IDisposable
{
    private const long Gibibyte = 1L << 30;
    private const string OneGibibyte = "1073741824";
    private const string TwoGibibytes = "2147483648";

    private readonly MadeSystem _system = new();

    public void Dispose() => _system.Dispose();

    [Fact]
    public void Without_control_groups_it_is_what_the_machine_has()
    {
        AssertLimit(8 * Gibibyte, "the machine has");
        Assert.Equal(6 * Gibibyte, Read().Available());
    }

    [Theory]
    [InlineData("memory.max")]
    [InlineData("memory.high")]
    public void A_group_of_version_2_limits(string file)
    {
        _system.InVersion2("/a/b").Group2("/a/b", "memory.max", "max").Group2("/a/b", "memory.high", "max")
            .Group2("/a/b", file, OneGibibyte);
        AssertLimit(Gibibyte, $"the control group /a/b allows ({file})");
    }

    [Fact]
    public void A_group_above_limits_those_below_it()
    {
        _system.InVersion2("/a/b/c").Group2("/a/b/c", "memory.max", "max").Group2("/a/b", "memory.max", TwoGibibytes)
            .Group2("/a", "memory.max", OneGibibyte);
        AssertLimit(Gibibyte, "the control group /a allows (memory.max)");
        _system.Group2("/a/b", "memory.high", "1000000");
        AssertLimit(1_000_000, "the control group /a/b allows (memory.high)");
    }

    [Theory]
    [InlineData("/")] // as the group is seen in a namespace of its own
    [InlineData("/docker/0123")] // as it is seen without one: that path is none below the mount
    [InlineData("/../other")] // as a process sees it that was moved out of its namespace
    public void In_a_container_the_root_of_the_mount_is_the_group(string group)
    {
        _system.InVersion2(group, mountRoot: group).Group2("", "memory.max", OneGibibyte);
        AssertLimit(Gibibyte, "the control group / allows (memory.max)");
        _system.InVersion2(group).Group2("", "memory.max", TwoGibibytes);
        AssertLimit(2 * Gibibyte, "the control group / allows (memory.max)");
    }

    [Fact]
    public void A_mount_of_a_part_of_the_hierarchy_is_found()
    {
        _system.InVersion2("/kube/pod/app", mountRoot: "/kube/pod").Group2("/app", "memory.max", OneGibibyte);
        AssertLimit(Gibibyte, "the control group /app allows (memory.max)");
        _system.InVersion2("/kube/podium/app", mountRoot: "/kube/pod").Group2("", "memory.max", TwoGibibytes);
        AssertLimit(2 * Gibibyte, "the control group / allows (memory.max)");
    }

    [Fact]
    public void A_mount_of_another_part_of_the_hierarchy_does_not_hide_the_groups_own()
    {
        _system.InVersion2("/a").Group2("/a", "memory.max", TwoGibibytes);
        _system.Write(
            "proc/self/mountinfo", "28 23 0:26 /other /other rw - cgroup2 cgroup2 rw\n29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
        _system.Write("other/memory.max", OneGibibyte);
        AssertLimit(2 * Gibibyte, "the control group /a allows (memory.max)");
    }

    [Fact]
    public void A_group_of_version_1_limits_and_those_above_it()
    {
        _system.InVersion1("/a/b").Group1("/a/b", "memory.limit_in_bytes", OneGibibyte)
            .Group1("/a", "memory.limit_in_bytes", TwoGibibytes).Group1("", "memory.limit_in_bytes", MadeSystem.UnlimitedOfVersion1);
        AssertLimit(Gibibyte, "the control group /a/b allows (memory.limit_in_bytes)");
        _system.Group1("/a", "memory.limit_in_bytes", "5000000");
        AssertLimit(5_000_000, "the control group /a allows (memory.limit_in_bytes)");
    }

    [Fact]
    public void The_large_number_of_version_1_is_no_limit()
    {
        _system.InVersion1("/a").Group1("/a", "memory.limit_in_bytes", MadeSystem.UnlimitedOfVersion1);
        AssertLimit(8 * Gibibyte, "the machine has");
    }

    /// <summary>Of the groups above a container nothing is visible but their least limit.</summary>
    [Fact]
    public void A_limit_above_a_container_of_version_1_is_found()
    {
        _system.InVersion1("/docker/0123", mountRoot: "/docker/0123").Group1("", "memory.limit_in_bytes", MadeSystem.UnlimitedOfVersion1)
            .Group1("", "memory.stat", $"cache 5\nhierarchical_memory_limit {OneGibibyte}\nhierarchical_memsw_limit 7\n");
        AssertLimit(Gibibyte, "the control groups above / allow (hierarchical_memory_limit)");
    }

    [Fact]
    public void Of_both_versions_at_once_the_least_counts()
    {
        _system.InVersion1("/a").Group1("/a", "memory.limit_in_bytes", TwoGibibytes);
        _system.Write("proc/self/cgroup", "5:memory:/a\n0::/b");
        _system.Write("sys/fs/cgroup/unified/b/memory.max", OneGibibyte);
        AssertLimit(Gibibyte, "the control group /b allows (memory.max)");
    }

    [Theory]
    [InlineData("")]
    [InlineData("lots")]
    [InlineData("-1")]
    [InlineData("0")]
    [InlineData("99999999999999999999999")]
    [InlineData("1073741824 kB")]
    public void What_is_no_figure_is_no_limit(string text)
    {
        _system.InVersion2("/a").Group2("/a", "memory.max", text).Group2("/a", "memory.current", text).Group2("/a", "memory.stat", text);
        AssertLimit(8 * Gibibyte, "the machine has");
        Assert.Equal(6 * Gibibyte, Read().Available());
    }

    [Theory]
    [InlineData("proc/self/cgroup", "")]
    [InlineData("proc/self/cgroup", "0:/a")]
    [InlineData("proc/self/cgroup", "0::a")]
    [InlineData("proc/self/mountinfo", "")]
    [InlineData("proc/self/mountinfo", " - ")]
    [InlineData("proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup - cgroup2")]
    [InlineData("proc/self/mountinfo", "29 23 0:26 / /elsewhere rw - cgroup2 cgroup2 rw")]
    public void Files_that_cannot_be_understood_limit_nothing(string file, string content)
    {
        _system.InVersion2("/a").Group2("/a", "memory.max", OneGibibyte);
        AssertLimit(Gibibyte, "the control group /a allows (memory.max)");
        _system.Write(file, content);
        AssertLimit(8 * Gibibyte, "the machine has");
    }

    [Fact]
    public void Without_any_file_the_runtime_tells()
    {
        using var nothing = new TemporaryDirectory();
        Assert.Equal(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes, MemoryLimit.Read(nothing.Path).Bytes);
        Assert.Null(MemoryLimit.Read(nothing.Path).Available());
    }

    [Fact]
    public void A_mount_with_a_space_in_its_path_is_found()
    {
        _system.InVersion2("/a");
        _system.Write("proc/self/mountinfo", @"29 23 0:26 / /sys/fs\040x rw - cgroup2 cgroup2 rw");
        _system.Write("sys/fs x/a/memory.max", OneGibibyte);
        AssertLimit(Gibibyte, "the control group /a allows (memory.max)");
    }

    [Fact]
    public void What_is_available_is_what_the_limit_leaves_beside_what_cannot_be_dropped()
    {
        _system.InVersion2("/a/b").Group2("/a/b", "memory.max", OneGibibyte).Group2("/a/b", "memory.current", "900000000")
            .Group2("/a/b", "memory.stat", "anon 600000000\ninactive_file 250000000\ninactive_file_x 7\nactive_file 1");
        MemoryLimit limit = Read();
        Assert.Equal(Gibibyte - 650_000_000, limit.Available());
        _system.Group2("/a", "memory.max", TwoGibibytes).Group2("/a", "memory.current", "2000000000");
        Assert.Equal(2 * Gibibyte - 2_000_000_000, limit.Available());
        _system.Group2("/a/b", "memory.current", "9000000000");
        Assert.Equal(0, limit.Available());
        _system.Write("proc/meminfo", "MemAvailable: 5 kB");
        _system.Group2("/a/b", "memory.current", "100").Group2("/a", "memory.max", "max");
        Assert.Equal(5 << 10, limit.Available());
        Directory.Delete(_system.Root + "/sys", recursive: true);
        Directory.Delete(_system.Root + "/proc", recursive: true);
        Assert.Null(limit.Available());
    }

    [Fact]
    public void What_is_available_in_version_1_counts_the_groups_below()
    {
        _system.InVersion1("/a").Group1("/a", "memory.limit_in_bytes", OneGibibyte).Group1("/a", "memory.usage_in_bytes", "900000000")
            .Group1("/a", "memory.stat", "inactive_file 1\ntotal_inactive_file 250000000\nhierarchical_memory_limit 1073741824");
        Assert.Equal(Gibibyte - 650_000_000, Read().Available());
    }

    [Theory]
    [InlineData(100_000_000, 40_000_000, 60_000_000)]
    [InlineData(40_000_000, 100_000_000, 0)]
    [InlineData(900_000_000, 0, 250_000_000)]
    public void No_more_can_be_dropped_than_there_is_of_files(long files, long shared, long droppable)
    {
        _system.InVersion1("/a").Group1("/a", "memory.limit_in_bytes", OneGibibyte).Group1("/a", "memory.usage_in_bytes", "900000000")
            .Group1("/a", "memory.stat", $"total_inactive_file 250000000\ntotal_cache {files}\ntotal_shmem {shared}");
        Assert.Equal(Gibibyte - 900_000_000 + droppable, Read().Available());
        _system.InVersion2("/b").Group2("/b", "memory.max", OneGibibyte).Group2("/b", "memory.current", "900000000")
            .Group2("/b", "memory.stat", $"inactive_file 250000000\nfile {files}\nshmem {shared}");
        Assert.Equal(Gibibyte - 900_000_000 + droppable, Read().Available());
    }

    [Fact]
    public void Of_this_process_it_is_at_most_the_machines_memory_and_there_is_some()
    {
        MemoryLimit limit = MemoryLimit.OfProcess();
        Assert.InRange(limit.Bytes, 16 << 20, 1L << 50);
        Assert.InRange(limit.Available() ?? 1, 1, limit.Bytes);
    }

    private MemoryLimit Read() => MemoryLimit.Read(_system.Root);

    private void AssertLimit(long bytes, string source) => Assert.Equal((bytes, source), (Read().Bytes, Read().Source));
}
