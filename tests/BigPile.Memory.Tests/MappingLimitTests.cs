using System;
using System.IO;

namespace BigPile.Memory.Tests;

/// <summary>The process never takes the last mappings that the system allows it, and is told in time.</summary>
public sealed class MappingLimitTests
{
    private const int Limit = 6_400;
    private const int Most = Limit - Limit / 16;

    private int _mappings = 300;
    private long? _allowed = Limit;
    private int _counts;

    [Fact]
    public void Up_to_a_sixteenth_all_may_be_taken_and_few_looks_are_needed()
    {
        MappingLimit limit = Make();
        Assert.Equal(Most - 300, TakeAll(limit));
        Assert.InRange(_counts, 1, 80);
    }

    [Fact]
    public void Those_of_others_count_as_well()
    {
        MappingLimit limit = Make();
        int taken = 0;
        while (Take(limit))
        {
            taken++;
            _mappings += 2; // of others
        }
        Assert.InRange(taken, (Most - 300) / 3, (Most - 300) / 2);
        Assert.InRange(_mappings, Most, Limit - 1);
    }

    [Fact]
    public void A_refusal_says_what_there_is_what_is_allowed_and_what_helps()
    {
        MappingLimit limit = Make();
        _ = TakeAll(limit);
        for (int i = 0; i < 3; i++)
        {
            string? reason = limit.Take();
            Assert.NotNull(reason);
            foreach (string part in new[] { "6,000", "6,400", "400 ", "vm.max_map_count", "sysctl -w vm.max_map_count=25600" })
                Assert.Contains(part, reason, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void What_is_given_back_and_a_limit_that_is_raised_count_at_once()
    {
        MappingLimit limit = Make();
        _ = TakeAll(limit);
        _mappings -= 10;
        Assert.Equal(10, TakeAll(limit));
        _allowed = 2 * Limit;
        Assert.Equal(2 * Most - Most, TakeAll(limit));
        _allowed = Limit;
        Assert.False(Take(limit));
    }

    [Fact]
    public void Where_no_limit_is_known_there_is_none()
    {
        _allowed = null;
        MappingLimit limit = Make();
        for (int i = 0; i < 2 * Limit; i++)
            Assert.True(Take(limit));
        Assert.Equal(0, _counts);
    }

    [Fact]
    public void The_process_s_own_is_that_of_the_system()
    {
        Assert.Null(MappingLimit.Own.Take());
        if (!OperatingSystem.IsLinux())
            return;
        string text = File.ReadAllText("/proc/sys/vm/max_map_count").Trim();
        string described = MappingLimit.DescribeRefusal();
        Assert.Contains($"{long.Parse(text, System.Globalization.CultureInfo.InvariantCulture):N0}", described, StringComparison.Ordinal);
        int mappings = 0;
        foreach (string part in described.Split(' '))
        {
            if (int.TryParse(part, System.Globalization.NumberStyles.Any, System.Globalization.CultureInfo.InvariantCulture, out mappings))
                break;
        }
        Assert.InRange(mappings, 50, 60_000);
    }

    [Fact]
    public void A_file_that_the_system_refuses_to_map_is_told_with_what_helps()
    {
        IOException refused = FileErrors.Of("/somewhere/file", "mapped", FileErrors.NoMemory);
        _ = Assert.IsType<MappingRefusedException>(refused);
        Assert.Contains("/somewhere/file", refused.Message, StringComparison.Ordinal);
        Assert.Equal(refused.Message, FileErrors.WithRemedy(refused, "Make room."));
        Assert.EndsWith(" Make room.", FileErrors.WithRemedy(new IOException("Full."), "Make room."), StringComparison.Ordinal);
    }

    [Fact]
    public void A_region_larger_than_all_addresses_is_refused_so()
    {
        if (!OperatingSystem.IsLinux())
            return;
        OutOfMemoryException refused = Assert.Throws<OutOfMemoryException>(() => new NativeRegion(1L << 60));
        Assert.Contains("vm.max_map_count", refused.Message, StringComparison.Ordinal);
    }

    private MappingLimit Make() => new(() => _allowed, () =>
    {
        _counts++;
        return _mappings;
    });

    private bool Take(MappingLimit limit)
    {
        if (limit.Take() != null)
            return false;
        _mappings++;
        return true;
    }

    private int TakeAll(MappingLimit limit)
    {
        int taken = 0;
        while (Take(limit))
            taken++;
        return taken;
    }
}
