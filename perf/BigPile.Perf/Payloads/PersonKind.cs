using System;
using MessagePack;
using MessagePack.Formatters;

namespace BigPile.Perf.Payloads;

/// <summary>Objects that go through the codec.</summary>
internal readonly struct PersonKind : IPayloadKind<PersonKind>
{
    private const long FirstId = 100_000;
    private const int RegistrationDays = 8000;
    private const int SecondsPerDay = 86_400;

    private static readonly DateTime FirstRegistration = new(2004, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    private static readonly string[] FirstNames =
    [
        "Alexander", "Anna", "Boris", "Catherine", "Daniel", "Elena", "Francesca", "Grace", "Henry", "Isabella", "Jonas", "Katharina",
        "Lukas", "Margarita", "Nicholas", "Oscar", "Patricia", "Robert", "Sebastian", "Thomas", "Veronica", "Walter",
    ];

    private static readonly string[] LastNames =
    [
        "Andersson", "Becker", "Costa", "Dubois", "Eriksen", "Fischer", "Gonzalez", "Hoffmann", "Ivanov", "Johansson", "Kowalski",
        "Lindberg", "Martinez", "Novak", "Olsen", "Petrov", "Richardson", "Schneider", "Tanaka", "Virtanen", "Weber", "Zimmermann",
    ];

    private readonly Person[] _pool;
    private readonly Person?[] _batch;

    public PersonKind() : this(MakePool(), [])
    {
    }

    private PersonKind(Person[] pool, Person?[] batch)
    {
        _pool = pool;
        _batch = batch;
    }

    /// <summary>The distinct persons.</summary>
    internal static Person[] MakePool() => PayloadPool.Make(MakePerson);

    public PersonKind ForThread() => new(_pool, new Person?[PayloadPool.BatchSize]);

    public PilePointer Put(Pile pile, int number) => pile.Put(_pool[PayloadPool.IndexOf(number)]);

    public bool IsIntact(Pile pile, PilePointer pointer, int number) => IsSame(pile.Get<Person>(pointer), number);

    public bool AreIntact(Pile pile, ReadOnlySpan<PilePointer> pointers, ReadOnlySpan<int> numbers)
    {
        bool areIntact = pile.GetMany(pointers, _batch.AsSpan()) == pointers.Length;
        for (int i = 0; i < numbers.Length && areIntact; i++)
            areIntact = IsSame(_batch[i]!, numbers[i]);
        return areIntact;
    }

    private bool IsSame(Person actual, int number)
    {
        Person expected = _pool[PayloadPool.IndexOf(number)];
        return actual.Id == expected.Id && actual.LastName.Length == expected.LastName.Length;
    }

    private static Person MakePerson(int index, Random random) => new()
    {
        Id = FirstId + index,
        FirstName = FirstNames[random.Next(FirstNames.Length)],
        LastName = LastNames[random.Next(LastNames.Length)],
        Registered = FirstRegistration.AddDays(random.Next(RegistrationDays)).AddSeconds(random.Next(SecondsPerDay)),
        Balance = Math.Round(random.NextDouble() * 10_000, 2),
        IsActive = random.Next(10) != 0,
        OrderCount = random.Next(500),
    };
}

/// <summary>A small business object of seven fields, as an application would write it: nothing in it knows of a pile.</summary>
internal sealed class Person
{
    internal long Id { get; init; }
    internal string FirstName { get; init; } = "";
    internal string LastName { get; init; } = "";
    internal DateTime Registered { get; init; }
    internal double Balance { get; init; }
    internal bool IsActive { get; init; }
    internal int OrderCount { get; init; }
}

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
