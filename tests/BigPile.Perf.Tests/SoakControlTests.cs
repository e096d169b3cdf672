using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Soaking;

namespace BigPile.Perf.Tests;

/// <summary>The soak while one thing is sabotaged: each must be found and described.</summary>
public sealed class SoakControlTests
{
    [Fact]
    public async Task An_object_with_a_wrong_byte_is_found() =>
        await AssertFound(place => Corrupt(place, SoakRegion.Own), "Own 0/", "their check does not match");

    [Fact]
    public async Task An_object_that_is_lost_is_found() =>
        await AssertFound(place => place.Pile.Delete(Victim(place, SoakRegion.Own)), "Own 0/");

    [Fact]
    public async Task A_shared_object_with_a_wrong_byte_is_found() =>
        await AssertFound(place => Corrupt(place, SoakRegion.Shared), "Shared 0/", "their check does not match");

    [Fact]
    public async Task A_shared_object_of_before_is_found() => await AssertFound(
        static place => place.SharedVersions[0] += 5, "Shared 0/0", "came when version 5 was there already");

    [Fact]
    public async Task A_shared_object_that_is_lost_is_found() =>
        await AssertFound(place => place.Pile.Delete(Victim(place, SoakRegion.Shared)), "Shared 0/", "is gone");

    [Fact]
    public async Task An_entry_that_is_lost_is_found() =>
        await AssertFound(static place => place.Kept.Remove(0), "'kept'", "is not there");

    [Fact]
    public async Task An_entry_with_another_value_is_found() => await AssertFound(
        static place => place.Kept.PutBytes(0, SoakValue.Make(50, SoakId.Of(SoakRegion.Kept, 0, 1), 1), out _), "'kept'", "in its place");

    [Fact]
    public async Task An_entry_that_should_not_be_there_is_found() =>
        await AssertFound(static place => place.Kept.Put(1, [1]), "'kept'", "is there, and was removed");

    [Fact]
    public async Task An_entry_of_the_limited_table_with_a_wrong_byte_is_found() => await AssertFound(
        static place => place.Limited.PutBytes(place.Limited.Keys.First(), Broken(), out _), "'limited'", "their check does not match");

    [Fact]
    public async Task A_pinned_entry_that_is_lost_is_found() =>
        await AssertFound(static place => place.Tagged.Remove(0), "'tagged'", "is pinned, and is not there");

    [Fact]
    public async Task A_tagged_entry_of_an_old_version_is_found() => await AssertFound(
        static place => place.Tagged.PutBytes(0, SoakValue.Make(8, SoakId.Of(SoakRegion.Tagged, 0, 0), 9), out _), "'tagged'", "version 9");

    [Fact]
    public async Task An_object_that_nobody_deletes_is_found() =>
        await AssertFound(static place => place.Pile.Put("left"), "1 objects of 4 bytes are left");

    [Fact]
    public async Task Without_him_nothing_is_found()
    {
        (int exitCode, JsonElement report) = await Run(static _ => { });
        Assert.Equal((0, 0), (exitCode, report.GetProperty("errors").GetInt64()));
    }

    [Fact]
    public void A_lease_whose_bytes_change_is_found()
    {
        using var pile = new Pile();
        var errors = new SoakErrors();
        var leases = new HeldLeases(errors);
        leases.Hold(pile.Lease(pile.Put(SoakValue.Make(100, 5, 1))), 5, 1);
        leases.Hold(pile.Lease(pile.Put(SoakValue.Make(100, 6, 2))), 6, 1); // as if it had been replaced under the lease
        leases.Dispose();
        Assert.Equal(1, errors.Count);
        Assert.Contains("version 2 is in the place of version 1", errors.Examples[0]);
    }

    [Fact]
    public void A_deleted_pointer_that_names_something_is_found()
    {
        using var pile = new Pile();
        var errors = new SoakErrors();
        var dead = new DeadPointers(pile, errors, new Random(1));
        dead.Add(pile.Put("alive"));
        dead.Try();
        Assert.Contains("of an object that was deleted names one", Assert.Single(errors.Examples));
    }

    [Theory]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(16)]
    [InlineData(100)]
    [InlineData(4099)]
    public void Any_wrong_byte_of_a_value_is_seen(int lengthBytes)
    {
        byte[] value = SoakValue.Make(lengthBytes, SoakValue.MaxId, 77);
        Assert.True(SoakValue.TryParse(value, out uint id, out ushort version));
        Assert.Equal((SoakValue.MaxId, 77), (id, (int)version));
        for (int i = 0; i < lengthBytes; i++)
        {
            value[i] ^= 0x10;
            Assert.False(SoakValue.TryParse(value, out _, out _), $"byte {i}");
            value[i] ^= 0x10;
        }
        Assert.False(SoakValue.TryParse(value.AsSpan(0, lengthBytes - 1), out _, out _));
    }

    // One operation only, so that nothing is replaced before it is checked; everything is checked at the end.
    private static async Task AssertFound(Action<SoakPlace> sabotage, params string[] parts)
    {
        (int exitCode, JsonElement report) = await Run(sabotage);
        Assert.Equal(PerfApp.Failed, exitCode);
        Assert.NotEqual(0, report.GetProperty("errors").GetInt64());
        string examples = string.Join('\n', report.GetProperty("errorExamples").EnumerateArray().Select(static one => one.GetString()));
        Assert.All(parts, part => Assert.Contains(part, examples));
    }

    private static async Task<(int ExitCode, JsonElement Report)> Run(Action<SoakPlace> sabotage)
    {
        using var output = new StringWriter();
        var command = new SoakCommand(output, sabotage);
        const string Load = "--megabytes 16 --threads 1 --operations 1 --store native --json";
        int exitCode = await command.Parse(Load).InvokeAsync(null, CancellationToken.None);
        using JsonDocument report = JsonDocument.Parse(output.ToString());
        return (exitCode, report.RootElement.Clone());
    }

    private static void Corrupt(SoakPlace place, SoakRegion region)
    {
        PilePointer pointer = Victim(place, region);
        byte[] value = place.Pile.GetBytes(pointer);
        value[^1] ^= 1;
        place.Pile.Write(pointer, value);
    }

    private static PilePointer Victim(SoakPlace place, SoakRegion region) => place.Pile
        .Where(static entry => entry.Kind == PayloadKind.Bytes && entry.SizeBytes > 100)
        .Select(static entry => entry.Pointer)
        .First(pointer => SoakValue.TryParse(place.Pile.GetBytes(pointer), out uint id, out _)
            && SoakId.NameOf(id).StartsWith($"{region} ", StringComparison.Ordinal));

    private static byte[] Broken()
    {
        byte[] value = SoakValue.Make(50, 1, 1);
        value[20] ^= 1;
        return value;
    }
}
