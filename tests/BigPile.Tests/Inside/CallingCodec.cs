using System;
using System.Text;

namespace BigPile.Tests.Inside;

/// <summary>A codec of the user's that does something else before it works: whatever a test wants.</summary>
internal sealed class CallingCodec : IPileCodec
{
    internal Action? Serializing { get; set; }

    internal Action? Deserializing { get; set; }

    public void Serialize(object value, PileBuffer destination)
    {
        Serializing?.Invoke();
        int lengthBytes = Encoding.UTF8.GetBytes(((Memo)value).Text, destination.GetSpan(1_000));
        destination.Advance(lengthBytes);
    }

    public object Deserialize(PileBuffer source)
    {
        Deserializing?.Invoke();
        return new Memo(Encoding.UTF8.GetString(source.WrittenSpan));
    }
}

/// <summary>What only the codec can store.</summary>
internal sealed record Memo(string Text);
