// The promptfoo side of the harness benchmark: a system that answers at once, the same every time.
module.exports = class {
  id() {
    return 'constant';
  }

  async callApi() {
    return { output: '42', tokenUsage: { total: 11, prompt: 10, completion: 1 } };
  }
};
