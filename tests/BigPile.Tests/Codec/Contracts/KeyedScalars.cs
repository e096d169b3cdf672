using System;
using System.Numerics;
using MessagePack;

namespace BigPile.Tests.Codec;

#pragma warning disable CA1051, CA1002, CA1819, CA1814 // Public fields and lists, as users of that library write them.
[MessagePackObject]
public sealed class KeyedNumbers
{
    [Key(0)]
    public sbyte A = -5;

    [Key(1)]
    public short B = -3000;

    [Key(2)]
    public long C = long.MinValue;

    [Key(3)]
    public ulong D = ulong.MaxValue;

    [Key(4)]
    public uint E = 70000;

    [Key(5)]
    public ushort F = 300;

    [Key(6)]
    public byte G = 200;

    [Key(7)]
    public int H = -33;

    [Key(8)]
    public char I = 'x';

    [Key(9)]
    public float J = 1.5f;

    [Key(10)]
    public double K = 2.5;

    [Key(11)]
    public bool L = true;

    [Key(12)]
    public KeyedColor M = KeyedColor.Blue;

    [Key(13)]
    public int? N = 5;

    [Key(14)]
    public KeyedColor? O = KeyedColor.Red;

    [Key(15)]
    public int? P;
}

[MessagePackObject]
public sealed class KeyedTexts
{
    [Key(0)]
    public string A = "";

    [Key(1)]
    public string? B;

    [Key(2)]
    public string C = new string('a', 31);

    [Key(3)]
    public string D = new string('b', 32);

    [Key(4)]
    public string E = new string('é', 20);

    [Key(5)]
    public Uri G = new("http://a/b?c");

    [Key(6)]
    public Version H = new(1, 2, 3);
}

[MessagePackObject]
public sealed class KeyedTimes
{
    [Key(0)]
    public DateTime A = new(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc);

    [Key(1)]
    public DateTime B = new(1950, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    [Key(2)]
    public DateTimeOffset C = new(2024, 5, 6, 7, 8, 9, TimeSpan.FromHours(2));

    [Key(3)]
    public TimeSpan D = TimeSpan.FromMinutes(-90);

    [Key(4)]
    public DateTime E = new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc).AddTicks(1234567);

    [Key(5)]
    public DateTime? F;
}

[MessagePackObject]
public sealed class KeyedDays
{
    [Key(0)]
    public DateOnly A = new(2024, 1, 2);

    [Key(1)]
    public TimeOnly B = new(1, 2, 3);
}

[MessagePackObject]
public sealed class KeyedWideNumbers
{
    [Key(0)]
    public BigInteger A = 12345678901234567890;

    [Key(1)]
    public Guid? B = new Guid("00112233-4455-6677-8899-aabbccddeeff");

    [Key(2)]
    public decimal C = -0.5m;

    [Key(3)]
    public Half D = (Half)2;
}
