using System;
using System.Collections.Generic;
using BigPile.Catalog;
using BigPile.Codec.Payloads;

namespace BigPile.Tests.Interop;

/// <summary>Two libraries that share no code with ours read our payloads, and we read theirs.</summary>
public sealed class InteropTests
{
    private const int PrefixBytes = 4;

    private readonly MessagePackPileCodec _codec = new(new MemoryCatalog(), new PileCodecOptions().Allow(typeof(Everything)));

    private static Everything Sample => new()
    {
        Text = "grüße 🔑 \"quoted\"",
        Empty = "",
        Small = -5,
        Big = 4_611_686_018_427_387_905,
        Negative = long.MinValue,
        Unsigned = ulong.MaxValue,
        Half = 0.5,
        Single = -1.25f,
        Yes = true,
        Bytes = [0, 1, 255],
        When = new DateTime(2024, 2, 29, 23, 59, 58, DateTimeKind.Utc).AddTicks(1_234_567),
        Names = ["a", "b"],
        Ages = new Dictionary<string, int> { ["ann"] = 41, ["bob"] = -1 },
        Inner = new Inner { Number = 300, Next = new Inner { Number = 70_000 } },
    };

    private static string ExpectedJson =>
        """["gr\u00fc\u00dfe \ud83d\udd11 \"quoted\"","",-5,4611686018427387905,-9223372036854775808,18446744073709551615,0.5,-1.25,true,"""
        + """{"bin":"0001ff"},{"timestamp":1709251198123456700},["a","b"],{"map":[["ann",41],["bob",-1]]},[300,[70000,null]],null]""";

    [FactWithPython]
    public void Python_reads_what_is_written_and_the_other_way_round()
    {
        using ExternalReader python = ExternalReader.Python();
        CheckBothWays(python);
    }

    [FactWithNode]
    public void JavaScript_reads_what_is_written_and_the_other_way_round()
    {
        using ExternalReader node = ExternalReader.Node();
        CheckBothWays(node);
    }

    private void CheckBothWays(ExternalReader reader)
    {
        var written = new PileBuffer();
        _codec.Serialize(Sample, written);
        (string json, byte[] bytes) = reader.Echo(written.WrittenSpan[PrefixBytes..]);
        Assert.Equal(ExpectedJson, json);
        var theirs = new PileBuffer();
        written.WrittenSpan[..PrefixBytes].CopyTo(theirs.GetSpan());
        theirs.Advance(PrefixBytes);
        bytes.CopyTo(theirs.GetSpan(bytes.Length));
        theirs.Advance(bytes.Length);
        Assert.Equivalent(Sample, _codec.Deserialize(theirs), strict: true);
    }

    public sealed class Everything
    {
        public string Text = "";
        public string Empty = "";
        public int Small;
        public long Big;
        public long Negative;
        public ulong Unsigned;
        public double Half;
        public float Single;
        public bool Yes;
        public byte[] Bytes = [];
        public DateTime When;
        public List<string> Names = [];
        public Dictionary<string, int> Ages = [];
        public Inner? Inner;
        public Inner? Nothing;
    }

    public sealed class Inner
    {
        public int Number;
        public Inner? Next;
    }
}
