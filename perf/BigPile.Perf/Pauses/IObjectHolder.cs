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
