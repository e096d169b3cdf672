using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Codec.Schema;
using BigPile.Memory.Checking;

namespace BigPile.Codec.Graph;

/// <summary>The models and field codecs of one pile codec, by type.</summary>
/// <remarks>
/// The tables hold types weakly, so that a plug-in's types can be unloaded. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class ModelCache(ITypeIds ids, PileCodecOptions options, TypeRegistry types, IModelFactory factory)
{
    private readonly ConditionalWeakTable<Type, TypeModel> _models = [];
    private readonly ConditionalWeakTable<Type, FieldCodec> _codecs = [];
    private readonly Lock _adding = new();

    // Counts calls of Clear. Written under _adding.
    private int _epoch;

    public PileCodecOptions Options => options;

    public TypeRegistry Types => types;

    public CodeGeneration CodeGeneration { get; } = options.CodeGeneration;

    public FieldCodec Any => CodecFor(typeof(object));

    /// <summary>The model of objects of exactly one type.</summary>
    public TypeModel ForType(Type type) => _models.TryGetValue(type, out TypeModel? model) ? model : Make(_models, type, factory.MakeModel);

    public FieldCodec CodecFor(Type declared) =>
        _codecs.TryGetValue(declared, out FieldCodec? codec) ? codec : Make(_codecs, declared, factory.MakeCodec);

    /// <summary>
    /// Whether objects of exactly the declared type can exist and can be stored. If not, each value is written with its type id.
    /// </summary>
    public bool CanBeExact(Type declared) => factory.CanBeExact(declared);

    /// <summary>The id of a model's schema in the catalog.</summary>
    public int Assign(TypeModel model) => ids.Assign(model);

    /// <summary>
    /// Drops all models and codecs. They refer to this cache, so a type that is never unloaded would keep the cache alive for ever.
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

    /// <summary>Checks the tables, for tests: a model is that of its type or of the class under which that is stored.</summary>
    internal void CheckInvariants()
    {
        foreach ((Type type, TypeModel model) in _models)
        {
            Invariant.Require(
                model.Type.IsAssignableFrom(type) || !type.IsVisible, $"The model of {type} makes objects of {model.Type}.");
            Invariant.Require(!model.IsSkipper, $"The model of {type} skips its content.");
        }
        foreach ((Type type, FieldCodec codec) in _codecs)
        {
            Invariant.Require(codec.LeastBytes >= 1, $"The codec of {type} says that a value may take {codec.LeastBytes} bytes.");
            Invariant.Require(
                type.IsValueType || codec.Kind is FieldKind.Other or FieldKind.Reference or FieldKind.String,
                $"The codec of {type} reads values of kind {codec.Kind}.");
            Invariant.Require((codec.Kind == FieldKind.String) == (type == typeof(string)), $"The codec of {type} is another type's.");
        }
    }

    // A model whose making began before a Clear is returned to its caller and not cached: it may rest on outdated options.
    private T Make<T>(ConditionalWeakTable<Type, T> made, Type type, Func<Type, T> make)
        where T : class
    {
        int epoch = Volatile.Read(ref _epoch);
        T one = make(type);
        lock (_adding)
            return epoch == _epoch ? made.GetValue(type, _ => one) : one;
    }
}

/// <summary>Chooses the model and the codec of each type. The cache asks once for each type.</summary>
internal interface IModelFactory
{
    TypeModel MakeModel(Type type);

    FieldCodec MakeCodec(Type declared);

    /// <summary>Whether objects of exactly the declared type can exist and can be stored.</summary>
    bool CanBeExact(Type declared);
}

/// <summary>Assigns ids to schemas.</summary>
internal interface ITypeIds
{
    /// <summary>Adds the schema of a model to the catalog.</summary>
    /// <returns>The schema's id.</returns>
    int Assign(TypeModel model);
}
