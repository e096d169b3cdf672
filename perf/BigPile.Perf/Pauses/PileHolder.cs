using BigPile.Perf.Payloads;

namespace BigPile.Perf.Pauses;

/// <summary>Persons in a pile.</summary>
internal sealed class PileHolder(int count) : IObjectHolder
{
    private readonly Pile _pile = new(new PileOptions { Store = StoreKind.Native });
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
