using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Graph;

/// <summary>The models and slots of one codec, by type.</summary>
/// <remarks>
/// The tables hold their types weakly, so that a plug-in's types can be unloaded. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class ModelCache(ITypeIds ids, PileCodecOptions options, TypeRegistry types, IModelFactory factory)
{
    private readonly ConditionalWeakTable<Type, TypeModel> _models = [];
    private readonly ConditionalWeakTable<Type, FieldCodec> _codecs = [];
    private readonly Lock _adding = new();
    private int _epoch;

    public PileCodecOptions Options => options;

    public TypeRegistry Types => types;

    public CodeGeneration CodeGeneration { get; } = options.CodeGeneration;

    /// <summary>A place for any object.</summary>
    public FieldCodec Any => CodecFor(typeof(object));

    /// <summary>The model of objects that are exactly of a type.</summary>
    public TypeModel ForType(Type type) => _models.TryGetValue(type, out TypeModel? model) ? model : Make(_models, type, factory.MakeModel);

    /// <summary>The slot of places that are declared with a type.</summary>
    public FieldCodec CodecFor(Type declared) =>
        _codecs.TryGetValue(declared, out FieldCodec? codec) ? codec : Make(_codecs, declared, factory.MakeCodec);

    /// <summary>
    /// Whether an object can be exactly of a declared type, and can be stored. Else places of the type always state what they hold.
    /// </summary>
    public bool CanBeExact(Type declared) => factory.CanBeExact(declared);

    /// <summary>The id of a model's schema in the catalog.</summary>
    public int Assign(TypeModel model) => ids.Assign(model);

    /// <summary>
    /// Lets go of all models and slots. They refer to this cache, so a type that never goes would keep the cache for ever.
    /// </summary>
    public void Clear()
    {
        lock (_adding)
        {
            _epoch++;
            _models.Clear();
            _codecs.Clear();
        }
    }

    // What was begun before a Clear serves whoever asked for it, and is not kept.
    private T Make<T>(ConditionalWeakTable<Type, T> made, Type type, Func<Type, T> make)
        where T : class
    {
        int epoch = Volatile.Read(ref _epoch);
        T one = make(type);
        lock (_adding)
            return epoch == _epoch ? made.GetValue(type, _ => one) : one;
    }
}
