using MessagePack;
using MessagePack.Formatters;

namespace BigPile.Perf.Payloads;

/// <summary>A person as MessagePack-CSharp writes a class with a key for each member: an array, without a name.</summary>
internal sealed class PersonFormatter : IMessagePackFormatter<Person>
{
    private const int Members = 7;

    public void Serialize(ref MessagePackWriter writer, Person value, MessagePackSerializerOptions options)
    {
        writer.WriteArrayHeader(Members);
        writer.Write(value.Id);
        writer.Write(value.FirstName);
        writer.Write(value.LastName);
        writer.Write(value.Registered);
        writer.Write(value.Balance);
        writer.Write(value.IsActive);
        writer.Write(value.OrderCount);
    }

    public Person Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options)
    {
        if (reader.ReadArrayHeader() != Members)
            throw new MessagePackSerializationException("It is no person.");
        return new Person
        {
            Id = reader.ReadInt64(),
            FirstName = reader.ReadString() ?? "",
            LastName = reader.ReadString() ?? "",
            Registered = reader.ReadDateTime(),
            Balance = reader.ReadDouble(),
            IsActive = reader.ReadBoolean(),
            OrderCount = reader.ReadInt32(),
        };
    }
}
