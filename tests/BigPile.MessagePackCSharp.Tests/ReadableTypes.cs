using System;
using System.Collections.Generic;
using MessagePack;
using MessagePack.Formatters;

namespace BigPile.MessagePackCSharp.Tests;

[MessagePackObject]
public sealed class Chain
{
    [Key(0)]
    public Chain? Next { get; set; }

    [IgnoreMember]
    public int Length
    {
        get
        {
            int length = 0;
            for (Chain? at = this; at != null; at = at.Next)
                length++;
            return length;
        }
    }

    public static Chain Of(int length)
    {
        var chain = new Chain();
        for (int i = 1; i < length; i++)
            chain = new Chain { Next = chain };
        return chain;
    }
}

/// <summary>May be read, or not.</summary>
[MessagePackObject]
public sealed class Moody : IMessagePackSerializationCallbackReceiver
{
    [Key(0)]
    public bool IsGood { get; set; }

    public void OnBeforeSerialize()
    {
    }

    public void OnAfterDeserialize()
    {
        if (!IsGood)
            throw new InvalidOperationException("Not today.");
    }
}

[MessagePackObject]
public sealed class Nest
{
    [Key(0)]
    public List<Nest?>? Inner { get; set; }
}

[MessagePackObject]
public sealed class Loose
{
    [Key(0)]
    [MessagePackFormatter(typeof(TypelessFormatter))]
    public object? Value { get; set; }
}

[MessagePackObject(true)]
public sealed class Unlisted : IDisposable
{
    public Unlisted() => Made++;

    [IgnoreMember]
    public static int Made { get; set; }

    public void Dispose()
    {
    }
}

[MessagePackObject]
[FormerName("Inner")]
public sealed record Renamed([property: Key(0)] int Id, [property: Key(1)] string Name);

[MessagePackObject]
[FormerName("Keyed`1")]
public sealed class RenamedKeyed<T>
{
    [Key(1)]
    public T? Value { get; set; }
}
