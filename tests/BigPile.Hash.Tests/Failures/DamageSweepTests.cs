using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Failures;

/// <summary>
/// A small file of which each byte is flipped, and that is cut to each length: it is refused and left as it is; or each value that is given
/// is right, and who meets damage is told so; or what is lacking is counted.
/// </summary>
public sealed class DamageSweepTests(ITestOutputHelper output) : IDisposable
{
    private const int SectorBytes = 512;

    private readonly ScratchDirectory _temporary = new();
    private readonly SortedDictionary<string, int> _outcomes = [];

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [InlineData(SweptEnding.Closed)]
    [InlineData(SweptEnding.Killed)]
    [InlineData(SweptEnding.PowerCut)]
    [InlineData(SweptEnding.KilledInSynchronize)]
    [InlineData(SweptEnding.KilledInClear)]
    [InlineData(SweptEnding.KilledInRecovery)]
    public void No_flipped_bit_and_no_cut_takes_a_record_in_silence(SweptEnding ending)
    {
        var file = new SweptFile(Path.Combine(_temporary.Root, "database"), ending);
        Assert.Equal("right", file.Use(BlockFileKind.MappedParallel, file.Bytes));
        int flips = 0;
        for (int at = 0; at < file.Bytes.Length; at += StepBehind(file.Bytes, at))
        {
            for (int bit = TestLeg.IsLong ? 0 : at % 8; bit < (TestLeg.IsLong ? 8 : at % 8 + 1); bit++, flips++)
                Try(file, $"bit {bit} of byte {at}", [.. file.Bytes], bytes => bytes[at] ^= (byte)(1 << bit));
        }
        int cuts = 0;
        for (int length = 0; length < file.Bytes.Length; length += TestLeg.Steps(3 * SectorBytes - 1, 1), cuts++)
            Try(file, $"cut to {length}", file.Bytes[..length], static _ => { });
        for (int at = 0; at < file.Bytes.Length; at += SectorBytes, cuts++)
        {
            Span<byte> sector = file.Bytes.AsSpan(at, Math.Min(SectorBytes, file.Bytes.Length - at));
            if (sector.ContainsAnyExcept((byte)0))
                Try(file, $"a sector of zeros at {at}", [.. file.Bytes], bytes => bytes.AsSpan(at, SectorBytes).Clear());
        }
        string found = string.Join(", ", _outcomes.Select(static pair => $"{pair.Key} {pair.Value}"));
        int silent = _outcomes.Sum(static pair => pair.Key.StartsWith(SweptFile.Silent, StringComparison.Ordinal) ? pair.Value : 0);
        output.WriteLine($"{ending}, {file.Bytes.Length} bytes: {flips} flips, {cuts} cuts and sectors: {found}; silent losses {silent}");
        Assert.Equal(0, silent);
        Assert.Contains(ending is SweptEnding.Closed or SweptEnding.KilledInClear ? "refused" : "counted", _outcomes.Keys);
    }

    // All of the head's fields, and some of what is used; few of what is zeros.
    private static int StepBehind(byte[] bytes, int at) =>
        at < 64 ? 1 : TestLeg.Steps(bytes.AsSpan(at, Math.Min(4, bytes.Length - at)).ContainsAnyExcept((byte)0) ? 17 : 181, 1);

    private void Try(SweptFile file, string name, byte[] bytes, Action<byte[]> damage)
    {
        damage(bytes);
        BlockFileKind kind = (_outcomes.Values.Sum() & 1) == 0 ? BlockFileKind.PositionalParallel : BlockFileKind.MappedParallel;
        string outcome = file.Use(kind, bytes);
        _outcomes[outcome] = _outcomes.GetValueOrDefault(outcome) + 1;
        if (outcome.StartsWith(SweptFile.Silent, StringComparison.Ordinal) && _outcomes[outcome] < 10)
            output.WriteLine($"{name}: {outcome}");
    }
}
