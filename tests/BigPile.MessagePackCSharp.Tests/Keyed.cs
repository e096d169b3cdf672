using MessagePack;

namespace BigPile.MessagePackCSharp.Tests;

/// <summary>A type in the library's format, with a member of any type.</summary>
[MessagePackObject]
public sealed class Keyed<T>
{
    [Key(0)]
    public int Before { get; set; } = 5;

    [Key(1)]
    public T? Value { get; set; }

    [Key(2)]
    public string After { get; set; } = "end";
}

[MessagePackObject]
public sealed record Inner([property: Key(0)] int Id, [property: Key(1)] string Name);

[MessagePackObject]
public class Parent
{
    [Key(0)]
    public int Id { get; set; }
}

[MessagePackObject]
public sealed class Child : Parent
{
    [Key(1)]
    public string? Name { get; set; }
}

[MessagePackObject]
public struct Spot
{
    [Key(0)]
    public int X { get; set; }

    [Key(1)]
    public int Y { get; set; }
}

[MessagePackObject(true)]
public sealed class Named
{
    public int Id { get; set; }

    public string? Text { get; set; }
}

[Union(0, typeof(Circle))]
[Union(1, typeof(Square))]
public interface IShape;

[MessagePackObject]
public sealed record Circle([property: Key(0)] double Radius) : IShape;

[MessagePackObject]
public sealed record Square([property: Key(0)] int Side) : IShape;

public sealed class Bare
{
    public int Id { get; set; }
}

public enum Size : byte
{
    Small,
    Large = 200,
}

[MessagePackObject]
public sealed class Formatted
{
    [Key(0)]
    [MessagePackFormatter(typeof(MessagePack.Formatters.NativeGuidFormatter))]
    public System.Guid Id { get; set; }
}

[MessagePackFormatter(typeof(OwnFormatter))]
public sealed class OwnForm
{
    public int Id { get; set; }

    private sealed class OwnFormatter : MessagePack.Formatters.IMessagePackFormatter<OwnForm?>
    {
        public void Serialize(ref MessagePackWriter writer, OwnForm? value, MessagePackSerializerOptions options) =>
            writer.Write(value?.Id ?? 0);

        public OwnForm Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) => new() { Id = reader.ReadInt32() };
    }
}
