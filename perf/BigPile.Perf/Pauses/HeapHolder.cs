using BigPile.Perf.Payloads;

namespace BigPile.Perf.Pauses;

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
