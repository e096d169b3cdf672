using System;
using BigPile.Perf.Payloads;

namespace BigPile.Perf.Pauses;

/// <summary>Holds a number of persons.</summary>
/// <remarks>Thread safety: all may be called by any number of threads, for numbers of their own.</remarks>
internal interface IObjectHolder : IDisposable
{
    /// <summary>The bytes that it takes outside the managed heap.</summary>
    long NativeBytes { get; }

    /// <summary>Stores a person under a number, replacing the previous one.</summary>
    void Set(int number, Person person);

    /// <summary>Gives the person of a number that was set.</summary>
    Person Get(int number);
}

/// <summary>Persons as plain objects that an array refers to.</summary>
internal sealed class HeapHolder(int count) : IObjectHolder
{
    private readonly Person[] _persons = new Person[count];

    public long NativeBytes => 0;

    public void Set(int number, Person person) => _persons[number] = person;

    public Person Get(int number) => _persons[number];

    public void Dispose()
    {
        // The collector's part.
    }
}

/// <summary>Persons in a pile.</summary>
internal sealed class PileHolder(int count) : IObjectHolder
{
    private readonly Pile _pile = new(new PileOptions { Store = StoreKind.Native, MaxBytes = MachineLimits.Checked });
    private readonly PilePointer[] _pointers = new PilePointer[count];

    public long NativeBytes => _pile.Statistics.CommittedBytes;

    public void Set(int number, Person person)
    {
        if (_pointers[number].IsValid)
            _pile.Replace(_pointers[number], person);
        else
            _pointers[number] = _pile.Put(person);
    }

    public Person Get(int number) => _pile.Get<Person>(_pointers[number]);

    public void Dispose() => _pile.Dispose();
}

/// <summary>Makes persons that share nothing, as they come from a database or a file.</summary>
internal static class PersonMaker
{
    private static readonly Person[] Patterns = PersonKind.MakePool();

    internal static Person Make(int number)
    {
        Person pattern = Patterns[PayloadPool.IndexOf(number)];
        return new Person
        {
            Id = number,
            FirstName = new string(pattern.FirstName.AsSpan()),
            LastName = new string(pattern.LastName.AsSpan()),
            Registered = pattern.Registered,
            Balance = pattern.Balance,
            IsActive = pattern.IsActive,
            OrderCount = pattern.OrderCount,
        };
    }

    /// <summary>Whether it is the person of a number.</summary>
    internal static bool IsOf(Person person, int number) =>
        person.Id == number && person.LastName == Patterns[PayloadPool.IndexOf(number)].LastName;
}
